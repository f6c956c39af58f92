// The JSON body of an operator's request: small, quick, and possibly not there at all.
import type { Request, Response } from 'express';
import { readJsonBody } from '../body/json-body.ts';
import { watchClient } from '../server/client-signal.ts';

const OPS_BODY_LIMITS = { limitBytes: 16_384, timeoutMs: 10_000 } as const;

/** A request without a body counts as one with an empty object: then each field says for itself that it is required. */
export async function readOpsBody(req: Request, res: Response): Promise<unknown> {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = req.headers;
  if (encoding === undefined && length === '0') return {};
  const client = watchClient(req, res);
  try {
    return await readJsonBody(req, { ...OPS_BODY_LIMITS, signal: client.signal });
  } finally {
    client.stop();
  }
}
