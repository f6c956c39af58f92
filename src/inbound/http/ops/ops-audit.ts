import { present } from '../../../domain/present.ts';
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
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

export function makeAuditHandlers({ readAudit }: { readonly readAudit: ReadAudit }): Handlers<'list' | 'verify'> {
  return {
    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, ...filters } = validate(auditQuery, { ...req.query });
      const { entries, next } = await readAudit.list({ scope: accessOf(res).scope, limit, ...present(filters) });
      const answer: AuditListAnswer = present({ entries: entries.map(entryAnswer), next });
      res.json(answer);
    },

    async verify(req, res) {
      const { seq, hash } = validate(verifyBody, await readOpsBody(req, res));
      const expected = seq === undefined || hash === undefined ? undefined : { seq, hash };
      const { isWhole, entries, at, why, head } = await readAudit.verify(expected);
      const answer: VerifyAnswer = present({ isWhole, entries, at, why, head });
      res.json(answer);
    },
  };
}

function entryAnswer({ seq, at, action, actor, site, run, details }: StoredAuditEntry): AuditEntryAnswer {
  return present({ seq, at: at.toISOString(), action, actor, site, run, details });
}
