"""The report that a person sends to others: gathered once, written as HTML, Markdown or JSON."""

from adjudge.reports.report.gather import Report, ReportOptions, gather
from adjudge.reports.report.write import report

__all__ = ["Report", "ReportOptions", "gather", "report"]
