// What a clinician can do with a run now, and what happens to it: decided from its state, and said in words by the texts of the page.
import { asAppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import { requireDraft } from './require-draft.ts';

export type DraftState =
  /** `held`: it is in the engine alone; else it is in the chart, unsigned. */
  | { readonly kind: 'open'; readonly isHeld: boolean }
  | { readonly kind: 'being-made' }
  /** Decided, and on its way to the chart. */
  | { readonly kind: 'being-written' }
  | { readonly kind: 'signed' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'retracted' }
  /** Held for something that no reading of the draft resolves, or in need of an operator. */
  | { readonly kind: 'stuck'; readonly message: string }
  | { readonly kind: 'nothing'; readonly message: string };

export function draftState(run: Run, settings: Pick<SiteSettings, 'write' | 'timeZone'>, now: Date): DraftState {
  const { status, review, message = '' } = run;
  if (isOpen(run, settings, now)) return { kind: 'open', isHeld: status === 'held' };
  if (status === 'rejected') return { kind: 'rejected' };
  if (status === 'retracted') return { kind: 'retracted' };
  if (status === 'written') return { kind: 'signed' };
  if (status === 'queued' || status === 'running' || status === 'waiting') {
    return { kind: review === undefined ? 'being-made' : 'being-written' };
  }
  return status === 'held' || status === 'parked' ? { kind: 'stuck', message } : { kind: 'nothing', message };
}

function isOpen(run: Run, settings: Pick<SiteSettings, 'write' | 'timeZone'>, now: Date): boolean {
  if (run.isDry) return false;
  try {
    requireDraft(run, { settings, decision: 'approve', now });
    return true;
  } catch (thrown) {
    if (asAppError(thrown).code === 'conflict') return false;
    throw thrown;
  }
}
