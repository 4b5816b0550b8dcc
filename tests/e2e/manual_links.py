"""Prints what is wrong with links of the HTML pages below a folder: targets and anchors that are missing, and scripts,
styles and pictures of other machines.

    manual_links.py FOLDER
"""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.parts = set(), [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif name in ("href", "src"):
                self.parts.append(value)


top = sys.argv[1]
pages = {}
for folder, _, names in os.walk(top):
    for name in names:
        if name.endswith(".html") and name != "404.html":
            path = os.path.normpath(os.path.join(folder, name))
            pages[path] = Page(path)
print(len(pages), "pages")
for path, page in sorted(pages.items()):
    for link in page.links + page.parts:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.parts:
                print("%s: of another machine: %s" % (path, link))
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
        if not os.path.exists(target):
            print("%s: missing: %s" % (path, link))
        elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
            print("%s: no anchor: %s" % (path, link))
# SPDX-License-Identifier: MIT
