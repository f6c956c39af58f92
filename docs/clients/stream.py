# Streams one diagnosis and prints each state. It needs only Python 3.8:
#   CHARTWRIGHT_KEY=cw_… python3 docs/clients/stream.py "58-year-old man, crushing chest pain for 40 minutes"
import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ.get("CHARTWRIGHT_URL", "http://127.0.0.1:3000") + "/diagnose/stream",
    data=json.dumps({"clinical_history": sys.argv[1], "language": "en"}).encode(),
    headers={"x-api-key": os.environ["CHARTWRIGHT_KEY"], "Content-Type": "application/json", "Accept": "text/event-stream"},
)
try:
    response = urllib.request.urlopen(request, timeout=60)
except urllib.error.HTTPError as refusal:
    sys.exit(f"{refusal.code}: {refusal.read().decode()}")

event = ""
for line in response:  # one line at a time, as it arrives; comments (heartbeats) begin with a colon
    name, _, value = line.decode().rstrip("\n").partition(": ")
    if name == "event":
        event = value
    elif name == "data" and event == "error":
        sys.exit(value)
    elif name == "data":
        state = json.loads(value)
        diseases = [disease.get("name", "…") for disease in state.get("diagnosis", {}).get("diseases", [])]
        print(f"{event}:", ", ".join(diseases), state.get("triage", {}).get("triage_level", ""), flush=True)
        if event == "final":
            print(json.dumps(state, indent=2, ensure_ascii=False))
            break
else:
    sys.exit("The stream ended without its final event.")
