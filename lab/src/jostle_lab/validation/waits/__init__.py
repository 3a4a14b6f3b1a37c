"""Experiments in a lab: does jostle name the ranks for which others wait, and the cause?"""
