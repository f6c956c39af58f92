// Faults of updates: refused with the correct version, or accepted with a wrong one.
import { type FaultHandler, type FaultRequest, isBundle, refusal, updatedReferences, withEntries } from './exchange.ts';
import type { FaultOf } from './faults.ts';

export const isUpdate = (request: FaultRequest) => updatedReferences(request).length > 0;

export function updateConflict(_: FaultOf<'update-conflict'>): FaultHandler {
  return { isFor: isUpdate, handle: async () => refusal(412, { code: 'processing', text: 'Precondition Failed' }) };
}

export function ifMatchIgnored(_: FaultOf<'if-match-ignored'>): FaultHandler {
  return { isFor: isUpdate, handle: (request, next) => next(withoutIfMatch(request)) };
}

export function withoutIfMatch(request: FaultRequest): FaultRequest {
  const { 'if-match': _, ...headers } = request.headers;
  if (!isBundle(request)) return { ...request, headers };
  return withEntries(request, (entry) => {
    const { ifMatch: __, ...rest } = entry.request;
    return { ...entry, request: rest };
  });
}
