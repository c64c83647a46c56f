"""Short explanations of Ray's errors about lost workers."""

from ray.exceptions import ActorDiedError, OutOfMemoryError, RayError

from topk_tune.backends.work import LESS_MEMORY


def is_want_of_memory(error: RayError) -> bool:
    """Whether Ray itself killed the worker because its node was running out of memory."""
    return isinstance(error, OutOfMemoryError)


def is_own_fault(error: RayError) -> bool:
    """Whether the worker raised an error at its start, as others will, and was not killed."""
    return isinstance(error, ActorDiedError) and error.actor_init_failed


def in_words(error: RayError) -> str:
    """Return the reason why a worker was lost, from Ray's long explanation."""
    if is_want_of_memory(error):
        return f"out of memory: Ray killed the worker because its node ran low; {LESS_MEMORY}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if is_own_fault(error):
        return f"the worker could not start: {lines[-1]}"  # the last line of a traceback
    cause = next((line for line in lines if "exit" in line.lower()), "")
    return " ".join(dict.fromkeys([f"the worker was lost ({type(error).__name__})", cause])).strip()
