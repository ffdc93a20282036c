"""The central types: what models said, which labels were bought, what follows from them."""
