// Serves the first page and the JSON for its script: the health of the engine and the last runs, without patient data and without a
// key.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import type { ShowEngineHealth } from '../../../flows/operations/show-engine-health.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { exampleHistory } from '../api/examples.ts';
import { homeAnswer } from './home-answer.ts';
import { drawHome } from './home-page.ts';
import { onlyReading, PAGES, sendPage } from './own-pages.ts';

type HomeParts = {
  readonly version: string;
  /** The address at which clients reach the engine. */
  readonly serverUrl: string;
  /** How a person runs the command line here. */
  readonly command: string;
  readonly showEngineHealth: ShowEngineHealth;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly guard: RequestHandler;
};

export function makeHomeRouter(parts: HomeParts): Router {
  const { version, serverUrl, command, showEngineHealth, runtime, guard } = parts;
  const router = Router({ strict: true });
  const template = readFileSync(join(PAGES, 'home.html'), 'utf8');
  const frame = { command, version, serverUrl: serverUrl.replace(/\/+$/, ''), history: exampleHistory };
  const ask = async () => homeAnswer(await showEngineHealth(), runtime.now());

  router.all('/', onlyReading, guard, async (_req, res) => sendPage(res, drawHome(template, frame, await ask())));
  router.all('/home.json', onlyReading, guard, async (_req, res) => {
    res.setHeader('cache-control', 'no-cache');
    res.json(await ask());
  });
  return router;
}
