const reviews = [
  "authentication.k8s.io/tokenreviews",
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/subjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
] as const;

/** Name of a kind of review: its group, a slash and its resource. */
export type ReviewName = (typeof reviews)[number];

/** True for a review, which can be created but is never stored. */
export function isReview(name: string): name is ReviewName {
  return (reviews as readonly string[]).includes(name);
}
