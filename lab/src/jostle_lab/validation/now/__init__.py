"""Experiments on live answers: does a job's user learn at once which neighbour slows it?"""
