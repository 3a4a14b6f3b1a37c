"""Experiments in labs on whether advice saves as much time as predicted."""
