// The container's health check: 0 where the engine takes work, 1 where it does not, with its answer for `docker inspect`. It asks
// /readyz and not /healthz, for here health says who may be sent requests: Docker restarts nobody for it.
const port = process.env['PORT'] || '3000';
const TIMEOUT_MS = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  process.stdout.write(`${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.stdout.write(`nobody answers at port ${port}\n`);
  process.exitCode = 1;
}
