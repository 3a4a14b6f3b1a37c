"""Experiments on CephFS: whether the right suspect and the right resource are named."""
