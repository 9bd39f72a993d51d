"""Two providers on this machine: NESO for carbon intensity, Energy-Charts for prices."""
import datetime
import http.server
import json
import threading
import urllib.parse


def answer(handler, status, body):
    text = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(text)))
    handler.end_headers()
    handler.wfile.write(text)


class FakeNeso(http.server.BaseHTTPRequestHandler):
    """The GB Carbon Intensity API as documented, on this machine: 150 g/kWh in every half-hour asked for, unless a test
    sets `actual`, a function of the begin of the half-hour."""

    status = 200
    asked = 0
    actual = None

    def do_GET(self):
        type(self).asked += 1
        begin, end = (datetime.datetime.strptime(part, "%Y-%m-%dT%H:%MZ").replace(tzinfo=datetime.timezone.utc)
                      for part in self.path.split("/")[-2:])
        rows = []
        while begin < end:
            after = begin + datetime.timedelta(minutes=30)
            past = after <= datetime.datetime.now(datetime.timezone.utc)
            value = type(self).actual(begin) if type(self).actual else 150
            rows.append({"from": begin.strftime("%Y-%m-%dT%H:%MZ"), "to": after.strftime("%Y-%m-%dT%H:%MZ"),
                         "intensity": {"forecast": 160, "actual": value if past else None, "index": "moderate"}})
            begin = after
        answer(self, self.status, {"data": rows})

    def log_message(self, *_):
        pass


class FakeEnergyCharts(http.server.BaseHTTPRequestHandler):
    """Day-ahead prices: 80 EUR/MWh in every hour asked for, up to the end of today."""

    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        begin, end = (datetime.datetime.fromisoformat(asked[name][0].replace("Z", "+00:00")) for name in ("start", "end"))
        today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
        end = min(end, today + datetime.timedelta(days=1))
        times = list(range(int(begin.timestamp()), int(end.timestamp()), 3600))
        answer(self, 200, {"unit": "EUR / MWh", "unix_seconds": times, "price": [80.0] * len(times)})

    def log_message(self, *_):
        pass


def serve(case):
    """Serves both until the test case ends; the environment that finds them."""
    FakeNeso.status, FakeNeso.asked, FakeNeso.actual = 200, 0, None
    found = {"no_proxy": "127.0.0.1"}
    for name, handler in (("NESO", FakeNeso), ("ENERGYCHARTS", FakeEnergyCharts)):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        case.addCleanup(server.server_close)
        case.addCleanup(server.shutdown)
        found[f"HELIOSTAT_{name}_URL"] = f"http://127.0.0.1:{server.server_address[1]}"
    return found
