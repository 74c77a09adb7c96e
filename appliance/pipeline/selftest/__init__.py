"""Audits of scripted judges with planted biases: is what is there found, and nothing else?"""
