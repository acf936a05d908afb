// Whether a test runs under a sanitizer: gcc and clang say it in different ways. What is slower then gets more time, and what can't
// work then is left out.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define THRUM_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define THRUM_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THRUM_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define THRUM_THREAD_SANITIZER
#endif
#endif

// For tests that need the operator new which they define to be the one that is called.
#if defined(THRUM_THREAD_SANITIZER)
#define THRUM_SKIP_WITHOUT_OWN_NEW() GTEST_SKIP() << "clang's ThreadSanitizer has an operator new of its own"
#else
#define THRUM_SKIP_WITHOUT_OWN_NEW() static_cast<void>(0)
#endif
