// The audit trail over HTTP.
import type { RequestHandler } from 'express';
import type { ReadAudit } from '../../../flows/operations/read-audit.ts';
import type { StoredAuditEntry } from '../../../ports/audit.ts';
import {
  type AuditEntryAnswer,
  type AuditListAnswer,
  auditQuery,
  type VerifyAnswer,
  verifyBody,
} from '../../../wire/audit.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';

export type AuditHandlers = { readonly list: RequestHandler; readonly verify: RequestHandler };

export function makeAuditHandlers({ readAudit }: { readonly readAudit: ReadAudit }): AuditHandlers {
  return {
    async list(req, res) {
      const {
        limit = PAGE_SIZE.defaultLimit,
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
      const answer: AuditListAnswer = { entries: entries.map(entryAnswer), ...(next !== undefined && { next }) };
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
        head,
      };
      res.json(answer);
    },
  };
}

function entryAnswer({ seq, at, action, actor, site, run, details }: StoredAuditEntry): AuditEntryAnswer {
  return {
    seq,
    at: at.toISOString(),
    action,
    actor,
    ...(site !== undefined && { site }),
    ...(run !== undefined && { run }),
    ...(details !== undefined && { details }),
  };
}
