"""The way out: what never goes through the company's proxy, and how programs are told of proxy and authorities."""
