"""A report in a browser, and what it did there."""

import json

_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""


class Looking:
    """A window in which one report is open at a time: `page` is Playwright's, `made` is the report.

    Each report has a page of its own: what the browser and its driver hold of one goes with it.
    """

    made = page = None

    def __init__(self, browser, *, has_script=True):
        self.context = browser.new_context(java_script_enabled=has_script)
        self.is_changed = False
        self.requests, self.complaints = [], []
        self.context.route("**/*", self._asked)
        if has_script:
            self.context.add_init_script(_VIOLATIONS)

    def _turn_to_a_new_page(self):
        if self.page is not None:
            self.page.close()
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def open(self, made, fragment=""):
        """Read the file, whatever was open before; its complaints are those of this report alone."""
        if made is not self.made:
            self._turn_to_a_new_page()
        self.page.goto("about:blank")  # from one fragment of a file to another, no browser would read it again
        self.requests.clear()
        self.complaints.clear()
        self._as_usual()
        self.made, self.address, self.is_changed = made, made.path.resolve().as_uri(), False
        self.page.goto(self.address + fragment)

    def _as_usual(self):
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(media="screen", color_scheme="light")

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
        self._as_usual()
        self.is_changed = False
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

    def follow(self, fragments):
        """Go to one address after another, each as soon as the page has followed the last; what it said of each."""
        return self.run(
            """async (fragments) => {
                const told = [];
                for (const one of fragments) {
                    const followed = new Promise((done) => addEventListener('hashchange', done, { once: true }));
                    const before = location.href;
                    location.hash = one;
                    if (location.href !== before) await followed;
                    told.push(document.getElementById('status').textContent);
                }
                return told;
            }""",
            fragments,
        )

    def hide(self, is_hidden=True):
        """Leave the page without a layout, which takes most of the time; what is shown of it can still be told."""
        self.run("(is_hidden) => { document.documentElement.hidden = is_hidden }", is_hidden)

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
