"""The methods of the three papers: SDS, CES with CSS, LaF; and DeepGini, which SDS compares with."""
