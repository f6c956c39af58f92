// Checks whether resources are valid FHIR before they are written.

export type ResourceProblem = {
  /** The position among the checked resources. */
  readonly resource: number;
  /** `Condition.code` */
  readonly element: string;
  /** A text without any of the resource's values. */
  readonly message: string;
  readonly severity: 'error' | 'warning';
};

/** `fullUrls`: the urns by which the resources of the set refer to each other. Throws an AppError if the check could not run. */
export type CheckResources = (
  resources: readonly unknown[],
  signal: AbortSignal,
  options?: { readonly fullUrls?: readonly (string | undefined)[]; readonly isPart?: boolean },
) => Promise<readonly ResourceProblem[]>;
