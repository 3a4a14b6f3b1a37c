"""Experiments in a lab: does jostle name the slow rank for which others wait, and the cause?"""
