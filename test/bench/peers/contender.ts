// A contender of the mapping benchmark gets JSON of the facts and returns JSON of the resources.

export type Contender = {
  readonly name: 'hand-written' | 'chartwright' | 'JSONata' | 'FHIR Mapping Language';
  /** One Composition and one DocumentReference, as an array. */
  readonly mapNote: (factsJson: string) => string | Promise<string>;
  /** The Conditions, in the order of the diseases, and behind them the RiskAssessment. */
  readonly mapDifferential: (factsJson: string) => string | Promise<string>;
};
