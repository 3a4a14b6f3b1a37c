"""Parts of `jostle.synthetic.repository`: programs, who runs when, contention, rows."""
