/* Memory on Windows: the limits of a job. See core/system/memory.h. */
#include "test.h"

#ifdef _WIN32
#include <windows.h>

#include "core/system/memory.h"

/* Puts this process into a job with a limit of so many bytes above what it takes now. */
static void
limit(DWORD kind, size_t above)
{
    HANDLE job = CreateJobObjectA(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { .BasicLimitInformation.LimitFlags = kind }, told;
    ws_memory own;

    CHECK(job && ws_memory_now(&own));
    limits.ProcessMemoryLimit = limits.JobMemoryLimit = own.size + above;
    CHECK(SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits));
    CHECK(AssignProcessToJobObject(job, GetCurrentProcess()));
    CHECK(QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &told, sizeof told, NULL));
    if (!told.ProcessMemoryLimit && !told.JobMemoryLimit) test_skip("this system does not tell the size of a limit");
}

TEST("no more is available than the limit of the process's job leaves")
{
    uint64_t before = ws_memory_available();

    CHECK(before > (uint64_t)128 << 20);
    limit(JOB_OBJECT_LIMIT_PROCESS_MEMORY, (size_t)64 << 20);
    uint64_t left = ws_memory_available();
    CHECK(left > 0 && left <= (uint64_t)64 << 20);
}

TEST("no more is available than the limit of all processes of the job leaves")
{
    limit(JOB_OBJECT_LIMIT_JOB_MEMORY, (size_t)48 << 20);
    uint64_t left = ws_memory_available();
    CHECK(left > 0 && left <= (uint64_t)48 << 20);
}
#else
TEST("memory on Windows")
{
    SKIP("this is no Windows");
}
#endif
