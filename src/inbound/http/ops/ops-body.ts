// Reads the JSON body of a request to /ops, which is small and can be absent.
import type { Request, Response } from 'express';
import { type JsonBodyLimits, readJsonBody } from '../body/json-body.ts';
import { forClient } from '../server/client-signal.ts';

const OPS_BODY_LIMITS: JsonBodyLimits = { limitBytes: 16_384, timeoutMs: 10_000 };

/** No body counts as an empty object, so that the error names the required fields. */
export async function readOpsBody(req: Request, res: Response, limits = OPS_BODY_LIMITS): Promise<unknown> {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = req.headers;
  if (encoding === undefined && length === '0') return {};
  return forClient(req, res, (signal) => readJsonBody(req, { ...limits, signal }));
}
