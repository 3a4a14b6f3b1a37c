"""Experiments on CephFS: does jostle name the correct suspect and resource?"""
