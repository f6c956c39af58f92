import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import {
  type ReasonerTrouble,
  reasonerContract,
  type VendorHarness,
  vendorReasonerContract,
} from '../contracts/reasoner-contract.ts';
import { makeFakeReasoner } from './reasoner.ts';

const CODES: Readonly<Record<ReasonerTrouble, ErrorCode>> = {
  'is-down': 'vendorUnavailable',
  'refuses-us': 'vendorRejected',
  'breaks-the-form': 'vendorAnswer',
  'cuts-its-answer': 'vendorAnswer',
};
const never = () => new Promise<void>(() => undefined);

const open = async (): Promise<VendorHarness> => {
  const reasoner = makeFakeReasoner();
  return {
    reasoner,
    trouble: (trouble) => {
      reasoner.script.failure = new AppError(CODES[trouble], 'a made-up failure');
    },
    hang: () => {
      reasoner.script.wait = never;
    },
    hangMidway: () => {
      reasoner.script.wait = (about) => (about === 'showing' ? Promise.resolve() : never());
    },
    answerAs: (answeredBy) => {
      reasoner.script.answeredBy = answeredBy;
    },
    findNothingMedical: () => {
      reasoner.script.note = () => ({ isMedical: false });
    },
    openCalls: reasoner.openCalls,
    close: async () => undefined,
  };
};

reasonerContract('the fake', open);
vendorReasonerContract('the fake', open);
