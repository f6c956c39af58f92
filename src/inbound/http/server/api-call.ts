// What the handler of an endpoint with an API key is given, and what it returns.
import type { Request, Response } from 'express';
import type { Caller } from '../../../domain/access/api-key.ts';
import type { Meter, Outcome } from '../../../domain/access/usage.ts';
import type { AppError } from '../../../domain/errors.ts';

export type JsonResult = {
  readonly kind: 'json';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The work is still to be done, and its usage is recorded at its end. */
  readonly isUsageLater?: true;
};

/** The result of a handler. It is sent after the usage is recorded. */
export type OperationResult =
  | JsonResult
  /** The stream is open; `finish` sends its last event. */
  | {
      readonly kind: 'stream';
      readonly status: number;
      readonly outcome: Outcome;
      /** The data of the last event of a stream that succeeded. */
      readonly final?: object;
      readonly finish: () => Promise<void>;
    };

export type ApiCall = {
  readonly req: Request;
  readonly res: Response;
  readonly caller: Caller;
  readonly meter: Meter;
  /** Fires when the client disconnects, or when `abort` is called. */
  readonly signal: AbortSignal;
  readonly abort: (reason: AppError) => void;
  /** Adds facts to the usage record; only names from closed sets. */
  readonly describe: (facts: UsageFacts) => void;
};

export type UsageFacts = { readonly language?: string; readonly template?: string };

/** A call whose client may not be there: see `async-requests.ts`. */
export type LongCall = Omit<ApiCall, 'res'>;
export type LongHandle = (call: LongCall) => Promise<JsonResult>;

export type Handle = (call: ApiCall) => Promise<OperationResult>;
