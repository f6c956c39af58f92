// How a run ends that may not go on: there is no consent, or the encounter is sensitive or restricted.
import type { Permission } from '../history/chart-context.ts';
import type { RunEnd } from './run-end.ts';

export function endOfRefusal({ then, reason, message }: Extract<Permission, { readonly isGranted: false }>): RunEnd {
  if (then === 'skip') return { status: 'skipped', reason, message };
  return {
    status: 'held',
    reason,
    message,
    advice:
      'When a person has decided that it may be documented, and the chart or the settings say so, replay the run.',
  };
}
