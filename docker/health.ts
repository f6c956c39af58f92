// The container's health check: exits with 0 if the engine accepts work, else with 1, and prints the answer for `docker inspect`. It uses /readyz
// and not /healthz, because Docker does not restart an unhealthy container: health only decides who gets requests.
const port = process.env['PORT'] || '3000';
const TIMEOUT_MS = 4_000;

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  process.stdout.write(`${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.stdout.write(`no answer at port ${port}\n`);
  process.exitCode = 1;
}
