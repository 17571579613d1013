// Handlers that are loaded with the first request for a subresource, a review, a binding or a component's status.
export { handleBinding } from "./binding.js";
export { handleComponentStatus, handleComponentStatuses } from "./component-statuses.js";
export { handleReview } from "./reviews.js";
export { handleSubresource } from "./subresources.js";
