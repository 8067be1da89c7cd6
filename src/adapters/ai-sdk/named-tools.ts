/** Where settings name tools. Written out, so that TypeScript keeps the names as they are and does not make `string` of them. */
export type NamedTools<Name extends string> = StepTools<Name> & {
  readonly prepareStep?:
    | ((...step: never[]) => StepTools<Name> | undefined | PromiseLike<StepTools<Name> | undefined>)
    | undefined;
};

type StepTools<Name extends string> = {
  readonly activeTools?: readonly Name[] | undefined;
  readonly toolOrder?: readonly Name[] | undefined;
  readonly toolChoice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'tool'; readonly toolName: Name }
    | undefined;
};
