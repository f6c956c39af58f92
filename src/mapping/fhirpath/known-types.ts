// The types that `is`, `as` and `ofType` may name, and the elements of FHIR R4 that have several of them (`value[x]`).
import { didYouMean } from '../suggest.ts';
import { ExpressionError } from './frame.ts';

const SYSTEM_TYPES = words('Boolean String Integer Decimal Date DateTime Time Quantity');
const PRIMITIVES = words(
  'base64Binary boolean canonical code date dateTime decimal id instant integer markdown oid positiveInt string time unsignedInt uri url uuid',
);
const COMPLEX_TYPES = words(
  `Address Age Annotation Attachment BackboneElement CodeableConcept Coding ContactDetail ContactPoint Contributor Count
   DataRequirement Distance DomainResource Dosage Duration Element Expression Extension HumanName Identifier Meta Money
   Narrative ParameterDefinition Period Quantity Range Ratio Reference RelatedArtifact Resource SampledData Signature Timing
   TriggerDefinition UsageContext`,
);

const RESOURCES = words(
  `Account ActivityDefinition AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic Binary
   BiologicallyDerivedProduct BodyStructure Bundle CapabilityStatement CarePlan CareTeam CatalogEntry ChargeItem
   ChargeItemDefinition Claim ClaimResponse ClinicalImpression CodeSystem Communication CommunicationRequest
   CompartmentDefinition Composition ConceptMap Condition Consent Contract Coverage CoverageEligibilityRequest
   CoverageEligibilityResponse DetectedIssue Device DeviceDefinition DeviceMetric DeviceRequest DeviceUseStatement
   DiagnosticReport DocumentManifest DocumentReference EffectEvidenceSynthesis Encounter Endpoint EnrollmentRequest
   EnrollmentResponse EpisodeOfCare EventDefinition Evidence EvidenceVariable ExampleScenario ExplanationOfBenefit
   FamilyMemberHistory Flag Goal GraphDefinition Group GuidanceResponse HealthcareService ImagingStudy Immunization
   ImmunizationEvaluation ImmunizationRecommendation ImplementationGuide InsurancePlan Invoice Library Linkage List
   Location Measure MeasureReport Media Medication MedicationAdministration MedicationDispense MedicationKnowledge
   MedicationRequest MedicationStatement MedicinalProduct MedicinalProductAuthorization
   MedicinalProductContraindication MedicinalProductIndication MedicinalProductIngredient
   MedicinalProductInteraction MedicinalProductManufactured MedicinalProductPackaged MedicinalProductPharmaceutical
   MedicinalProductUndesirableEffect MessageDefinition MessageHeader MolecularSequence NamingSystem NutritionOrder
   Observation ObservationDefinition OperationDefinition OperationOutcome Organization OrganizationAffiliation
   Parameters Patient PaymentNotice PaymentReconciliation Person PlanDefinition Practitioner PractitionerRole
   Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson RequestGroup ResearchDefinition
   ResearchElementDefinition ResearchStudy ResearchSubject RiskAssessment RiskEvidenceSynthesis Schedule
   SearchParameter ServiceRequest Slot Specimen SpecimenDefinition StructureDefinition StructureMap Subscription
   Substance SubstanceNucleicAcid SubstancePolymer SubstanceProtein SubstanceReferenceInformation
   SubstanceSourceMaterial SubstanceSpecification SupplyDelivery SupplyRequest Task TerminologyCapabilities
   TestReport TestScript ValueSet VerificationResult VisionPrescription`,
);

/** The part before the type in the names of choice elements: `value` in `valueQuantity`. */
export const CHOICE_ELEMENTS: ReadonlySet<string> = words(
  `abatement additive age allowed amount answer asNeeded author born bounds characteristic chargeItem code collected content
   created date deceased defaultValue definingSubstance definition detail diagnosis dose doseNumber due effective entity event
   example fastingStatus fixed identified indication item legallyBinding location manufacturer maxValue medication minValue
   minimumVolume module multipleBirth name occurred occurrence offset onset participantEffective pattern performed probability
   procedure product quantity rate reported scheduled seriesDoses serviced source start statusReason studyEffective subject
   substance target time timing topic used value when`,
);

/** The types that may follow it, capitalised: `Quantity`, `String`. */
export const CHOICE_TYPES: readonly string[] = [...PRIMITIVES, ...COMPLEX_TYPES].map(capitalised);

export function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const TYPES: ReadonlySet<string> = new Set([...SYSTEM_TYPES, ...PRIMITIVES, ...COMPLEX_TYPES, ...RESOURCES]);

/** Throws for a misspelt type, which would be silently empty. */
export function checkTypeName(name: string, at: number): void {
  const known = name.startsWith('System.') ? SYSTEM_TYPES : TYPES;
  const bare = name.replace(/^(?:System|FHIR)\./, '');
  if (!known.has(bare)) throw new ExpressionError(`there is no type ${name}${didYouMean(bare, known)}`, at);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
