// The lower limit of Node's costs: it receives a request, sends it on byte by byte, and returns the answer. The engine is compared with it. It
// is a process of its own: `raw-pipe.ts <target address>` prints its own address.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const target = new URL(process.argv[2] ?? '');

const server = http.createServer((req, res) => {
  const onward = http.request(
    new URL(req.url ?? '/', target),
    { method: req.method, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    },
  );
  onward.on('error', () => res.destroy());
  req.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
