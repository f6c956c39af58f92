// Each step of a run is a span of its trace.
import { RUN_STEPS, type StepName } from '../../domain/run/run.ts';
import type { InSpan } from '../../ports/tracing.ts';
import type { Step, Steps } from './step-work.ts';

export function traceSteps(steps: Steps, inSpan: InSpan): Steps {
  return Object.fromEntries(RUN_STEPS.map((name) => [name, traceStep(name, steps[name], inSpan)])) as Steps;
}

function traceStep<Name extends StepName>(name: Name, step: Step<Name>, inSpan: InSpan): Step<Name> {
  return (work, signal) => {
    const attributes = { 'chartwright.run.id': work.run.id, 'chartwright.site': work.site.name };
    return inSpan({ name: `step ${name}`, attributes }, () => step(work, signal));
  };
}
