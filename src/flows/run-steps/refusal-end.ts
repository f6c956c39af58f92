// A run that may not go on: for want of consent, or because of what is sensitive.
import type { Permission } from '../../domain/history/chart-context.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';

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
