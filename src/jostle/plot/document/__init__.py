"""Documents to mail: texts, tables and figures as one HTML file, or as a PDF."""

from __future__ import annotations

from jostle.plot.document.document import Commands, Document, Part, Picture, Section

__all__ = ["Commands", "Document", "Part", "Picture", "Section"]
