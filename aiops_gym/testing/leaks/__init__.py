"""What can be told of an incident without looking at its symptoms: it should be nothing.

`looks.py` reads what the first cheap looks show, `learners.py` holds two simple classifiers, `rules.py` rules of thumb
and what somebody with healthy manifests in mind would answer; `measure.py` plays them all and writes the page.
"""
