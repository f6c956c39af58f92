// A problem of a resource, for the author of the mapping: the element, the mistake, and what to do. Messages quote names of elements
// and codes of FHIR, never values of the resource, which may be about a patient.

export type Severity = 'error' | 'warning';

export type ResourceProblem = {
  /** Its position in the set that was given. */
  readonly resource: number;
  /** The path with the names of the JSON: `Composition.section[0].text`. `Resource` if not even the type is known. */
  readonly element: string;
  readonly message: string;
  /** A resource with an error must not leave. One with a warning may, and a person should check the mapping. */
  readonly severity: Severity;
};

/** Collects the problems of one resource. */
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
  const reported = new Set<string>();
  let isFull = false;
  const add = (severity: Severity, element: string, message: string): void => {
    const key = `${element} ${message}`;
    if (reported.has(key) || isFull) return;
    reported.add(key);
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

/** True if a message may quote the key: it could be the name of an element. Anything else could be a patient's name. */
export function isElementName(key: string): boolean {
  return /^_?[A-Za-z][A-Za-z0-9]{0,63}$/.test(key);
}
