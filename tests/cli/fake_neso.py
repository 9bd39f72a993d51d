"""A provider of carbon intensity on this machine."""
import datetime
import http.server
import json
import threading


class FakeNeso(http.server.BaseHTTPRequestHandler):
    """The GB Carbon Intensity API as documented, on this machine: 150 g/kWh in every half-hour asked for."""

    status = 200
    asked = 0

    def do_GET(self):
        type(self).asked += 1
        begin, end = (datetime.datetime.strptime(part, "%Y-%m-%dT%H:%MZ").replace(tzinfo=datetime.timezone.utc)
                      for part in self.path.split("/")[-2:])
        rows = []
        while begin < end:
            after = begin + datetime.timedelta(minutes=30)
            past = after <= datetime.datetime.now(datetime.timezone.utc)
            rows.append({"from": begin.strftime("%Y-%m-%dT%H:%MZ"), "to": after.strftime("%Y-%m-%dT%H:%MZ"),
                         "intensity": {"forecast": 160, "actual": 150 if past else None, "index": "moderate"}})
            begin = after
        body = json.dumps({"data": rows}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(case):
    """Serves until the test case ends; the environment that finds it."""
    FakeNeso.status, FakeNeso.asked = 200, 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeNeso)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    case.addCleanup(server.server_close)
    case.addCleanup(server.shutdown)
    return {"HELIOSTAT_NESO_URL": f"http://127.0.0.1:{server.server_address[1]}", "no_proxy": "127.0.0.1"}
