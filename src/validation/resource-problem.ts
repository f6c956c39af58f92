// What is wrong with a resource, in words for whoever wrote the mapping: where, what, and what to do. Names of elements and
// codes of FHIR are said; values of the resource never, for they may be about a patient.

export type Severity = 'error' | 'warning';

export type ResourceProblem = {
  /** Its position in the set that was given. */
  readonly resource: number;
  /** With the names as they stand in the JSON: `Composition.section[0].text`. `Resource` where not even the type is known. */
  readonly element: string;
  readonly message: string;
  /** An error must not leave. A warning may, and somebody should look at the mapping. */
  readonly severity: Severity;
};

/** Of one resource. */
export type Report = {
  readonly error: (element: string, message: string) => void;
  readonly warning: (element: string, message: string) => void;
  readonly hasErrors: () => boolean;
  readonly hasErrorAt: (element: string) => boolean;
  readonly problems: () => readonly ResourceProblem[];
};

/** Enough to see what is wrong; a hostile resource may have millions. */
const MAX_PROBLEMS = 100;

export function makeReport(resource: number): Report {
  const problems: ResourceProblem[] = [];
  const said = new Set<string>();
  let isFull = false;
  const add = (severity: Severity, element: string, message: string): void => {
    const key = `${element} ${message}`;
    if (said.has(key) || isFull) return;
    said.add(key);
    problems.push({ resource, element, message, severity });
    if (problems.length < MAX_PROBLEMS) return;
    isFull = true;
    const root = element.split('.')[0] ?? element;
    problems.push({ resource, element: root, message: 'has more problems than are shown here', severity: 'error' });
  };
  return {
    error: (element, message) => add('error', element, message),
    warning: (element, message) => add('warning', element, message),
    hasErrors: () => problems.some(({ severity }) => severity === 'error'),
    hasErrorAt: (element) => problems.some((problem) => problem.element === element && problem.severity === 'error'),
    problems: () => problems,
  };
}

/** A key as it may be shown: what could be the name of an element. Anything else could be a patient's name. */
export function isElementName(key: string): boolean {
  return /^_?[A-Za-z][A-Za-z0-9]{0,63}$/.test(key);
}
