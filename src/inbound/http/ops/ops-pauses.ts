// Pausing and resuming a site over HTTP.
import type { Request, Response } from 'express';
import type { PausedSite, PauseSite } from '../../../flows/operations/pause-site.ts';
import { pauseBody, resumeBody } from '../../../wire/pauses.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import type { Handlers } from './ops-handlers.ts';

export function makePauseHandlers({ pauseSite }: { readonly pauseSite: PauseSite }): Handlers<'pause' | 'resume'> {
  const siteOf = (req: Request) => String(req.params['site']);
  return {
    async pause(req, res) {
      const { what, reason } = validate(pauseBody, await readOpsBody(req, res));
      answer(res, await pauseSite.pause({ site: siteOf(req), what, reason }));
    },

    async resume(req, res) {
      const { what } = validate(resumeBody, await readOpsBody(req, res));
      answer(res, await pauseSite.resume({ site: siteOf(req), what }));
    },
  };
}

function answer(res: Response, { site, paused }: PausedSite): void {
  res.json({
    site,
    paused: paused.map(({ what, reason, since }) => ({ what, reason, since: since.toISOString() })),
  });
}
