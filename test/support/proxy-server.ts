// A forward proxy for tests: it tunnels https, forwards plain http, and records its requests.
import http from 'node:http';
import net from 'node:net';
import type { LocalServers } from './local-servers.ts';

export type ProxyServer = {
  readonly origin: string;
  readonly asked: readonly { readonly what: string; readonly authorization: string | undefined }[];
};

/** With `status` the proxy refuses all requests with that status. */
export async function startProxyServer(
  { serveRaw }: Pick<LocalServers, 'serveRaw'>,
  { status }: { readonly status?: number } = {},
): Promise<ProxyServer> {
  const asked: { what: string; authorization: string | undefined }[] = [];
  const note = ({ method, url, headers }: http.IncomingMessage) =>
    asked.push({ what: `${method} ${url}`, authorization: headers['proxy-authorization'] });
  const proxy = http.createServer((request, response) => {
    note(request);
    if (status !== undefined) return void response.writeHead(status).end();
    const { method, headers } = request;
    const onward = http.request(request.url ?? '', { method: method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  proxy.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    note(request);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = net.connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  return { origin: await serveRaw((socket) => void proxy.emit('connection', socket)), asked };
}
