// The audit trail over HTTP.
import type { RequestHandler } from 'express';
import type { ReadAudit } from '../../../flows/operations/read-audit.ts';
import type { KeptAuditEntry } from '../../../ports/audit.ts';
import { validate } from '../api/schemas.ts';
import { type AuditAnswer, auditQuery, type VerifyAnswer, verifyBody } from './ops-audit-schemas.ts';
import { readOpsBody } from './ops-body.ts';
import { KEY_PAGE } from './ops-schemas.ts';

export type AuditHandlers = { readonly list: RequestHandler; readonly verify: RequestHandler };

export function makeAuditHandlers({ readAudit }: { readonly readAudit: ReadAudit }): AuditHandlers {
  return {
    async list(req, res) {
      const {
        limit = KEY_PAGE.defaultLimit,
        site,
        run,
        action,
        since,
        cursor,
      } = validate(auditQuery, {
        ...req.query,
      });
      const { entries, next } = await readAudit.list({
        limit,
        ...(site !== undefined && { site }),
        ...(run !== undefined && { run }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { since }),
        ...(cursor !== undefined && { cursor }),
      });
      const answer: AuditAnswer = { entries: entries.map(entryAnswer), ...(next !== undefined && { next }) };
      res.json(answer);
    },

    async verify(req, res) {
      const { seq, hash } = validate(verifyBody, await readOpsBody(req, res));
      const expected = seq === undefined || hash === undefined ? undefined : { seq, hash };
      const { isWhole, entries, at, why, head } = await readAudit.verify(expected);
      const answer: VerifyAnswer = {
        isWhole,
        entries,
        ...(at !== undefined && { at }),
        ...(why !== undefined && { why }),
        head: { ...head },
      };
      res.json(answer);
    },
  };
}

function entryAnswer({ seq, at, action, actor, site, run, details }: KeptAuditEntry): AuditAnswer['entries'][number] {
  return {
    seq,
    at: at.toISOString(),
    action,
    actor,
    ...(site !== undefined && { site }),
    ...(run !== undefined && { run }),
    ...(details !== undefined && { details: { ...details } as AuditAnswer['entries'][number]['details'] }),
  };
}
