import type {
  Case,
  MeasurementRules,
  ParameterValue,
  SegmentRules,
} from '../../../core/model/case.ts';
import type { Platform } from '../../../core/model/device.ts';
import type { Expectation, Quantity } from '../../../core/model/question.ts';

/** A browser, runtime or kind of program as a claim names it; `products.ts` says which devices can stand for it. */
export type Product =
  | 'chromium'
  | 'firefox'
  | 'safari'
  | 'edge'
  | 'chakracore'
  | 'node'
  | 'node10'
  | 'deno'
  | 'bun'
  | 'native'
  | 'wasmtime';

/** A statement published by others. */
export interface Claim {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
  /** The published figures, in words. */
  readonly published: string;
  readonly ask: Ask;
}

export interface Ask {
  /** The products that `each` stands for below, if a device can stand for them. */
  readonly products: readonly Product[];
  readonly assertions: readonly AssertionTemplate[];
  readonly counterfactuals: readonly CounterfactualTemplate[];
  /** Differences from the source, and the reasons. */
  readonly notes: readonly string[];
  /** The system that the sentence names; any by default. */
  readonly system?: 'linux';
  /** Platform of the mobile devices that the sentence is about; computers when left out. */
  readonly platform?: Platform;
  /** The fewest cores for which the sentence has a meaning. */
  readonly leastCores?: number;
  /** The fewest cores on which the sentence could hold. On fewer it is measured, and not judged. */
  readonly coresToJudge?: number;
  /** Rules for one trial, if the usual ones would take too long. */
  readonly measurement?: Partial<MeasurementRules>;
}

/** `each`: one assertion for every product that is there. */
export interface ArmTemplate {
  readonly product: Product | 'each';
  readonly benchmark: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Pinned to a number of cores; `all`: as many as the machine has. */
  readonly cores?: number | 'all';
  /** A parameter whose value is the number of cores of the machine that measures. */
  readonly coresAs?: string;
}

interface AssertionTemplateFacts {
  /** `{product}` becomes the name of the device that stands for `each`. */
  readonly sentence: string;
  readonly role?: 'explanation';
  readonly quantity: Quantity;
  readonly expected: ExpectationTemplate;
  readonly published: PublishedTemplate;
}

/** A bound may be a share of the machine's cores. */
export type ExpectationTemplate = Expectation | { readonly aboveShareOfCores: number };

/** `all-cores` is the number of cores of the machine that measures. */
export interface PublishedTemplate {
  readonly text: string;
  readonly low?: number | 'all-cores';
  readonly high?: number | 'all-cores';
}

export type AssertionTemplate =
  | (AssertionTemplateFacts & {
      readonly kind: 'ratio';
      readonly a: ArmTemplate;
      readonly b: ArmTemplate;
      /** The quantity of b, if it is not that of a; in the same unit. */
      readonly against?: Quantity;
    })
  | (AssertionTemplateFacts & { readonly kind: 'level'; readonly of: ArmTemplate })
  | (AssertionTemplateFacts & {
      readonly kind: 'change';
      readonly a: ArmTemplate;
      readonly b: ArmTemplate;
      readonly c: ArmTemplate;
      readonly d: ArmTemplate;
    });

export interface CounterfactualTemplate {
  /** Id in the catalogue of causes, or `cores`: all cores but one are taken away. */
  readonly cause: string;
  readonly sentence: string;
  readonly quantity: Quantity;
  readonly of: ArmTemplate;
  readonly effect:
    | { readonly kind: 'ratio'; readonly against: ArmTemplate }
    | { readonly kind: 'level'; readonly base: number };
}

/** Makes a case of a benchmark; a parameter that is left out has its default. Throws for bad values. */
export type CaseMaker = (benchmark: string, parameters: ArmTemplate['parameters']) => Case;

/**
 * Shorter than usual: a claim may need fifteen arms, and its evidence is the trials, not the
 * iterations.
 */
export const claimMeasurement: SegmentRules = {
  minGranules: 100,
  settled: { ms: 250, calls: 120 },
  window: { ms: 300, iterations: 3 },
  maxMs: 3_000,
};
