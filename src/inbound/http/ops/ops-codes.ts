// Official lists of codes over HTTP. A file is read while it arrives: it is never in memory as a whole.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { ManageCodes } from '../../../flows/codes/import-codes.ts';
import type { CodeList } from '../../../ports/codes.ts';
import { type CodeListAnswer, type CodeListsAnswer, codesPath, codesQuery } from '../../../wire/codes.ts';
import { MINIMUM_RATE } from '../body/body-pace.ts';
import { type BodyLimits, IncomingBody } from '../body/incoming-body.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

const FILE_LIMITS: BodyLimits = { maxBytes: 200 * MEBIBYTE, deadlineMs: 600_000, minimumRate: MINIMUM_RATE };

export function makeCodesHandlers({ manageCodes }: { readonly manageCodes: ManageCodes }): Handlers<'list' | 'put'> {
  return {
    async list(_req, res) {
      const answer: CodeListsAnswer = { lists: (await manageCodes.list()).map(listAnswer) };
      res.json(answer);
    },

    async put(req, res) {
      const { system } = validate(codesPath, { system: req.params['system'] });
      const { version } = validate(codesQuery, { ...req.query });
      const { 'content-encoding': encoding = 'identity' } = req.headers;
      if (encoding !== 'identity') throw new AppError('unsupportedMedia', 'The Content-Encoding must be identity');
      const { list, ...counts } = await forClient(req, res, (signal) =>
        manageCodes.import(present({ system, version, bytes: piecesOf(req, signal), access: accessOf(res) })),
      );
      res.json({ ...listAnswer(list), ...counts });
    },
  };
}

async function* piecesOf(req: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const body = new IncomingBody(req, FILE_LIMITS, signal);
  try {
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) yield piece;
  } finally {
    body.release();
  }
}

function listAnswer({ system, version, count, categories, importedAt, sha256 }: CodeList): CodeListAnswer {
  return { system, version, count, categories, importedAt: importedAt.toISOString(), sha256 };
}
