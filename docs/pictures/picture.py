"""A picture as SVG text, and its colours."""

INK = "#1b1f24"
GREY = "#8c959f"
PAPER = "#ffffff"
BLUE = "#bcd8f5"
DEEP = "#2f6fb3"
AMBER = "#f7d48b"
RUST = "#b3541e"
GREEN = "#bfe3c4"
MOSS = "#2c7a3d"
FAINT = "#eef1f4"


class Picture:
    """An SVG of a given size; shapes are drawn in the order of the calls."""

    def __init__(self, width, height, title):
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        ]

    def rect(self, x, y, w, h, fill="none", stroke=INK, width=1, dash=None, radius=0):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' rx="{radius}"' if radius else ""
        self.lines.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{width}"{more}/>'
        )

    def shape(self, points, fill="none", stroke=INK, width=1, dash=None):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        at = " ".join(f"{x},{y}" for x, y in points)
        self.lines.append(
            f'<polygon points="{at}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width}" stroke-linejoin="round"{more}/>'
        )

    def line(self, x1, y1, x2, y2, stroke=INK, width=1, dash=None):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.lines.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{stroke}" '
            f'stroke-width="{width}"{more}/>'
        )

    def arrow(self, x1, y1, x2, y2, stroke=INK, width=2):
        """A straight arrow, horizontal or vertical."""
        self.line(x1, y1, x2, y2, stroke, width)
        if y1 == y2:
            s = 7 if x2 > x1 else -7
            tip = [(x2, y2), (x2 - s, y2 - 4), (x2 - s, y2 + 4)]
        else:
            s = 7 if y2 > y1 else -7
            tip = [(x2, y2), (x2 - 4, y2 - s), (x2 + 4, y2 - s)]
        self.shape(tip, stroke, stroke)

    def text(self, x, y, what, size=13, anchor="start", fill=INK, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        what = what.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.lines.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{fill}"{weight}>{what}</text>'
        )

    def bracket(self, x1, x2, y, what, size=13):
        """A bracket above x1 .. x2 with its text."""
        self.line(x1, y, x2, y)
        self.line(x1, y, x1, y + 6)
        self.line(x2, y, x2, y + 6)
        self.text((x1 + x2) // 2, y - 6, what, size, "middle")

    def __str__(self):
        return "\n".join(self.lines + ["</svg>", ""])
