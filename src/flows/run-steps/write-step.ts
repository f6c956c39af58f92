// Step write-chart: writes the documents to the chart. The audit entry comes before the write.
import type { WriteOutcome } from '../../domain/chart/chart-write.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { endBeforeWrite } from '../../domain/run/write-decision.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { WriteChart } from '../chart-writing/write-chart.ts';
import { messageWithReferences } from '../chart-writing/write-outcome.ts';
import { factsOfResults } from './facts-of-results.ts';
import type { Services } from './services.ts';
import type { Step, StepOutcome } from './step-work.ts';

type WriteParts = {
  readonly writeChart: WriteChart;
  readonly audit: Pick<Audit, 'append'>;
  readonly services: Services;
  readonly engine: { readonly name: string; readonly version: string };
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeWriteStep(parts: WriteParts): Step<'write-chart'> {
  return async (work, signal) => {
    const { run, site } = work;
    const end = endBeforeWrite({ ...work, report: work.results.check?.report });
    if (end !== undefined) return { end };
    const now = parts.runtime.now().toISOString();
    const officialCodes = work.results.map?.officialCodes;
    const facts = factsOfResults({ ...work, engine: parts.engine, officialCodes, now });
    const { mapped } = work.memory;
    await parts.audit.append({
      action: 'run.write',
      actor: 'engine',
      site: site.name,
      run: run.id,
      details: {
        encounter: run.encounter,
        session: run.session ?? '',
        mapping: site.version,
        status: facts.run.status,
      },
    });
    const order = { service: `ehr/${site.name}`, run: run.id, site: site.name } as const;
    const outcome = await parts.services.call(
      order,
      () => parts.writeChart({ site, facts, ...(mapped && { mapped }) }, signal),
      signal,
    );
    return asStep(outcome);
  };
}

function asStep(outcome: WriteOutcome): StepOutcome<'write-chart'> {
  if (outcome.status !== 'written') return { end: asEnd(outcome) };
  const { status: _, ...result } = outcome;
  return { result };
}

function asEnd(outcome: Exclude<WriteOutcome, { readonly status: 'written' }>): RunEnd {
  switch (outcome.status) {
    case 'parked': {
      const { references: _, ...parked } = outcome;
      return { ...parked, message: messageWithReferences(outcome) };
    }
    case 'held':
    case 'skipped':
      return outcome;
    case 'retracted':
      return {
        ...outcome,
        message: 'The encounter was cancelled or entered in error: its documents in the chart were retracted.',
      };
  }
}
