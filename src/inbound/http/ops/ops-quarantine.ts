// /ops/aside: quarantined deliveries with the reason; one of them with its content, which is patient data; and one sent again.
import type { Request } from 'express';
import { present } from '../../../domain/present.ts';
import type { ListQuarantined } from '../../../flows/operations/list-quarantined.ts';
import type { OpenQuarantined } from '../../../flows/operations/open-quarantined.ts';
import type { QuarantinedDelivery, StoredDelivery } from '../../../ports/inbox.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import {
  type QuarantineAnswer,
  type QuarantinedAnswer,
  quarantinedPath,
  quarantineQuery,
  resendBody,
} from '../../../wire/quarantine.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

type QuarantineParts = { readonly listQuarantined: ListQuarantined; readonly openQuarantined: OpenQuarantined };

/** JSON makes a message of one MiB longer, by its escapes. */
const RESEND_LIMITS = { limitBytes: 2 * MEBIBYTE, timeoutMs: 10_000 } as const;

export function makeQuarantineHandlers(parts: QuarantineParts): Handlers<'list' | 'show' | 'resend'> {
  const { listQuarantined, openQuarantined } = parts;
  return {
    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, ...filters } = validate(quarantineQuery, { ...req.query });
      const { deliveries, next } = await listQuarantined({ scope: accessOf(res).scope, limit, ...present(filters) });
      const answer: QuarantineAnswer = present({ deliveries: deliveries.map(withoutContent), next });
      res.json(answer);
    },

    async show(req, res) {
      res.json(withContent(await openQuarantined.show({ id: idOf(req), access: accessOf(res) })));
    },

    async resend(req, res) {
      const id = idOf(req);
      const { content, contentType } = validate(resendBody, await readOpsBody(req, res, RESEND_LIMITS));
      const body = content === undefined ? undefined : Buffer.from(content);
      const { outcome, runs, why } = await openQuarantined.resend({ id, body, contentType, access: accessOf(res) });
      res.json(present({ outcome, runs, why }));
    },
  };
}

function idOf(req: Request): string {
  return validate(quarantinedPath, { id: req.params['id'] }).id;
}

/** Copied field by field, so that no further field of the store is sent. */
function withoutContent({ id, site, source, outcome, why, receivedAt, repeats }: QuarantinedDelivery) {
  return { id, site, source, outcome, why, receivedAt: receivedAt.toISOString(), repeats };
}

function withContent(stored: StoredDelivery): QuarantinedAnswer {
  const { contentType, body } = stored;
  const content = body && textOf(body);
  const base64 = body !== undefined && content === undefined ? Buffer.from(body).toString('base64') : undefined;
  return present({ ...withoutContent(stored), contentType, content, base64 });
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
