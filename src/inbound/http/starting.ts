// What is answered while the engine starts: it lives, but cannot take work yet.
import type { RequestListener } from 'node:http';

const BODY = JSON.stringify({
  statusCode: 503,
  message: 'The service is starting; try again in a moment',
  error: 'Service Unavailable',
});

export const refuseWhileStarting: RequestListener = (req, res) => {
  const isAlive = req.url === '/healthz';
  res.writeHead(isAlive ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    ...(!isAlive && { 'retry-after': '2' }),
  });
  res.end(isAlive ? '{"status":"ok"}' : BODY);
};
