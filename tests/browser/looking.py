"""A report in a browser, and what it did there."""

import json

_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""


class Looking:
    """A page that is open: `page` is Playwright's, `made` is the report."""

    def __init__(self, browser, made, *, width=1280, height=900, fragment="", **options):
        self.made = made
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.address = made.path.resolve().as_uri()
        self.context.route("**/*", self._asked)
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        if options.get("java_script_enabled", True):
            self.page.add_init_script(_VIOLATIONS)
        self.page.goto(self.address + fragment)

    def _asked(self, route):
        url = route.request.url
        if url.split("#")[0] == self.address:
            route.continue_()
        else:
            self.requests.append(url)
            route.abort()

    def run(self, script, argument=None):
        """What a script in the page answers."""
        return self.page.evaluate(script, argument)

    def reset(self):
        """Back to how it was opened, without reading the file again."""
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(media="screen", color_scheme="light")
        self.run(
            """() => {
                dispatchEvent(new Event('afterprint'));
                document.querySelectorAll('details[open]').forEach((one) => { one.open = false; });
                history.replaceState(null, '', location.pathname);
                dispatchEvent(new HashChangeEvent('hashchange'));
                document.querySelectorAll('dialog[open]').forEach((one) => one.close());
                scrollTo(0, 0);
            }"""
        )
        self.settle()

    @property
    def data(self):
        """What the script of the page reads."""
        return json.loads(self.run("document.getElementById('data').textContent"))

    def settle(self):
        """After a change of the address: the page has followed it, and painted."""
        self.run("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")

    def shown(self):
        """How many pictures are shown, and whether rows are listed."""
        return self.run(
            """() => ({
                pictures: document.querySelectorAll('.item:not([hidden])').length,
                rows: document.querySelectorAll('#rows:not([hidden]) tbody tr').length,
                status: document.getElementById('status').textContent,
                asked: document.getElementById('filter').hidden ? '' : document.getElementById('asked').textContent,
            })"""
        )
