// Streams one diagnosis and prints each state. It needs only Node 24:
//   CHARTWRIGHT_KEY=cw_… npx node docs/clients/stream.ts "58-year-old man, crushing chest pain for 40 minutes"
const { CHARTWRIGHT_URL: url = 'http://127.0.0.1:3000', CHARTWRIGHT_KEY: key = '' } = process.env;
const response = await fetch(`${url}/diagnose/stream`, {
  method: 'POST',
  headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' },
  body: JSON.stringify({ clinical_history: process.argv[2] ?? '', language: 'en' }),
});
if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);

let unread = '';
let isFinal = false;
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const events = (unread + text).split('\n\n');
  unread = events.pop() ?? '';
  for (const event of events) {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
    if (data === undefined) continue; // a heartbeat
    if (name === 'error') throw new Error(data);
    const { diagnosis, triage } = JSON.parse(data);
    const names = (diagnosis?.diseases ?? []).map((disease: { name?: string }) => disease.name ?? '…');
    process.stdout.write(`${name}: ${names.join(', ')} ${triage?.triage_level ?? ''}\n`);
    isFinal = name === 'final';
    if (isFinal) process.stdout.write(`${JSON.stringify({ diagnosis, triage }, null, 2)}\n`);
  }
}
if (!isFinal) throw new Error('The stream ended without its final event.');
