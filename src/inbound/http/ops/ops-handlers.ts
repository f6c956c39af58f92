// The handlers of one subject below /ops, by what they do.
import type { RequestHandler } from 'express';

export type Handlers<Name extends string> = Readonly<Record<Name, RequestHandler>>;
